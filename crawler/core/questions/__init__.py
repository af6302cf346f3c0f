"""Questions that people ask of a crawl in SQL (1999 paper, section 3.3)."""
