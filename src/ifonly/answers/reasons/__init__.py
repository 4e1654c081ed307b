"""Why a row got its outcome: principal reasons, and the letter that states them."""
