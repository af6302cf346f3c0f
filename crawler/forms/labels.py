"""When the label queue has the model trained, and how many people label a page."""

from django import forms

FEWEST, MOST = 5, 1_000


class LabelsForm(forms.Form):
    train_after = forms.IntegerField(
        label="Labels until the next training",
        min_value=FEWEST,
        max_value=MOST,
        help_text=f"From {FEWEST} to {MOST:,}.",
        widget=forms.NumberInput(attrs={"class": "input"}),
    )
    wants_agreement = forms.BooleanField(
        label="Two people label each page",
        required=False,
        help_text="So that it shows how far they agree. Otherwise no page goes to two people.",
    )
