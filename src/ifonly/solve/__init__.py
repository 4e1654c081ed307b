"""From a prepared model and rows to judged answers: pose, search, refine, select, judge."""
