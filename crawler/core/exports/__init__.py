"""Writers of the formats that people take home; each takes what it writes one by one."""
