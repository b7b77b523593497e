// Functions without a body, which are another package's, need a file of assembly beside them.
