"""What a question may demand of answers beside the outcome and the rules; see `problem.demand`."""
