import django.db.models.deletion
from django.db import migrations, models

# Crawls that ran before have pages and no buckets yet.
FILL = """
INSERT INTO crawler_pagebucket (crawl_id, number, judged, failed, relevance_sum, relevance_min,
  relevance_max, first_at, last_at)
SELECT crawl_id, (seq - 1) / 100, COUNT(relevance), COUNT(*) - COUNT(relevance),
  COALESCE(SUM(relevance), 0), MIN(relevance), MAX(relevance), MIN(fetched_at), MAX(fetched_at)
FROM crawler_page GROUP BY crawl_id, (seq - 1) / 100 HAVING COUNT(*) = 100
"""


class Migration(migrations.Migration):

    dependencies = [
        ('crawler', '0002_crawls'),
    ]

    operations = [
        migrations.CreateModel(
            name='PageBucket',
            fields=[
                ('pk', models.CompositePrimaryKey('crawl_id', 'number', blank=True, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('judged', models.PositiveSmallIntegerField()),
                ('failed', models.PositiveSmallIntegerField()),
                ('relevance_sum', models.FloatField()),
                ('relevance_min', models.FloatField(null=True)),
                ('relevance_max', models.FloatField(null=True)),
                ('first_at', models.FloatField(help_text='Seconds since 1970.')),
                ('last_at', models.FloatField()),
                ('crawl', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='buckets', to='crawler.crawl')),
            ],
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
