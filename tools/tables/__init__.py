"""Tables of docs/ that tools/doc_tables makes, by the origin of their figures."""
