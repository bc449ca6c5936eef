"""DuckDB: everything that was seen, tried and found, as tables; and the original bytes beside them."""
