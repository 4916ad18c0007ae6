"""What reviewers of a field want: methods of studies, citation network, flow of records (SPEC R15)."""
