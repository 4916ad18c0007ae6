"""What Scholium costs in time, against its budgets: `make bench`. No part of what passes or fails."""
