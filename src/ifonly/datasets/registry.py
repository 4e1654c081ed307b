"""What is known of each table before it is read: columns, wanted outcome, source, licence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """One table's description; `bundled` says that its file comes with ifonly.

    `categorical` also names the integer columns that are codes rather than amounts: a reader of
    the file alone cannot know them.
    """

    continuous: tuple[str, ...]
    categorical: tuple[str, ...]
    outcome: str
    desired: int
    source: str
    licence: str
    bundled: bool = True


FACTS = {
    "adult": Facts(
        continuous=("age", "hours_per_week"),
        categorical=("workclass", "education", "marital_status", "occupation", "race", "gender"),
        outcome="income",
        desired=1,
        source="Becker and Kohavi (1996), Adult, UCI Machine Learning Repository, "
        "doi:10.24432/C5XW20; the training file, levels grouped",
        licence="CC BY 4.0",
    ),
    "german_credit": Facts(
        continuous=(
            "duration_in_month",
            "credit_amount",
            "installment_as_income_perc",
            "present_res_since",
            "age",
        ),
        categorical=(
            "account_check_status",
            "credit_history",
            "purpose",
            "savings",
            "present_emp_since",
            "personal_status_sex",
            "other_debtors",
            "property",
            "other_installment_plans",
            "housing",
            "credits_this_bank",
            "job",
            "people_under_maintenance",
            "telephone",
            "foreign_worker",
        ),
        outcome="risk",
        desired=1,
        source="Hofmann (1994), Statlog (German Credit Data), UCI Machine Learning Repository, "
        "doi:10.24432/C5NC77; codes written as words",
        licence="CC BY 4.0",
    ),
    "compas": Facts(
        continuous=("priors_count",),
        categorical=("age_cat", "sex", "race", "c_charge_degree"),
        outcome="two_year_recid",
        desired=0,
        source="ProPublica (2016), compas-scores-two-years.csv; six columns of all rows",
        licence="ProPublica's public release",
    ),
    "lending_club": Facts(
        continuous=("emp_length", "annual_inc", "open_acc", "credit_years"),
        categorical=("grade", "home_ownership", "purpose", "addr_state"),
        outcome="loan_status",
        desired=1,
        source="LendingClub's former public download of its loans of 2007 to 2011",
        licence="none stated",
        bundled=False,
    ),
}
