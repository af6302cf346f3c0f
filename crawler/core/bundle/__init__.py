"""A crawl in one file that can be cited, and read again without the database it came from."""
