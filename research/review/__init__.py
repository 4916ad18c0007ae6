"""Tools for literature reviews: methods of studies, citation network, PRISMA-style flow of records (SPEC R15)."""
