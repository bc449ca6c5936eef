"""DuckDB: what happened, kept so that it can be asked in SQL."""
