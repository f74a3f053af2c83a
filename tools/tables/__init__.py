"""What tools/doc_tables makes: the tables of docs/, by where their figures come from."""
