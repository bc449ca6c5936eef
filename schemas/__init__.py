"""Every typed shape that travels through Assay. The leaf of the import tree: no I/O, no other folder."""
