# %% [markdown]
# # Credit decisions, with rules and the page
#
# A bank's model refuses an applicant. What would have had to be different? This tutorial asks that
# question, looks at each answer as the applicant at the counter would, and states a rule wherever an
# answer is odd. At the end the applicant asks by herself, on the page.
#
# The data are the 1,000 loans of German Credit, which come with ifonly (amounts in Deutschmarks).

# %%
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly

train, test = ifonly.datasets.load("german_credit").split()
decision = train.outcome.map({0: "refused", 1: "granted"})
words = make_column_selector(dtype_exclude="number")
encode = make_column_transformer((OneHotEncoder(), words), remainder=StandardScaler())
model = make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(train.features, decision)

refused = test.features[model.predict(test.features) == "refused"]
applicant = refused[1:2]
print(f"{len(refused)} of {len(test.features)} are refused. One of them:\n")
print(applicant.iloc[0].to_string())

# %% [markdown]
# ## First try: no rules
# The model and the table it was trained on are enough.

# %%
answers = ifonly.explain(model, applicant, data=train.features, k=4)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# Each sentence is true: the model itself was asked. But read them as the applicant:
#
# - *Critical credits* would have been **better** than paying back on time? The table says so: in this
#   sample people with other credits were good customers. Nobody should be advised to get into trouble.
# - *Unemployed* is no advice either, and nobody chooses to be 32.
#
# Answers show what the model does. What a person can do is for you to state.

# %% [markdown]
# ## Rules, where an answer is odd
# A rule is a line of text, and every answer satisfies it. What is history, and who somebody is, stays
# as it is; it is shorter to list what she can change:

# %%
rules = [
    "only account_check_status, savings, duration_in_month, credit_amount, other_debtors, "
    "other_installment_plans change",
]
explainer = ifonly.Explainer(model, data=train.features)
answers = explainer.explain(applicant, k=4, rules=rules)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# Better: two of these she could do. But 1,371 in 10 months are 137 a month, and she planned to pay 57
# a month. She says that 80 a month is the most, and that she needs 1,100 for the car. A rule may divide:

# %%
rules += ["credit_amount / duration_in_month <= 80", "credit_amount at least 1100"]
answers = explainer.explain(applicant, k=4, rules=rules)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# *No checking account* is odd: the model likes people who bank elsewhere, but nobody gets there from an
# overdrawn account without paying it back first. Other applicants are sent to savings that are
# *unknown*. Such levels are no advice; those who have them keep them:

# %%
rules += [
    "if account_check_status changes then account_check_status not no checking account",
    "if savings changes then savings not unknown/none",
]
answers = explainer.explain(applicant, k=4, rules=rules)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# ## What is hard
# A rule says what is impossible; a weight says what is hard. She knows a guarantor, and to get the
# account from below 0 to 200 and more is hard. The guarantor now comes first, and that way is gone:

# %%
weights = {"other_debtors": 0.3, "account_check_status": 3}
answers = explainer.explain(applicant, k=3, rules=rules, weights=weights)
print(*answers.sentences()[0], sep="\n")

# %%
answers.plot(0)

# %% [markdown]
# ## All refused applicants
# The rules that are about everybody, for all forty. Who has a way, and who has none?

# %%
everybody = [rules[0], *rules[3:]]
answers = explainer.explain(refused, k=2, rules=everybody)
print(answers)
print(answers.importance().query("changed > 0").round(2).to_string(index=False))

# %% [markdown]
# `importance` counts how often an answer changes a feature, and how often that change alone is enough.
# A row without an answer says why. With the loan as it is and nobody to help, some have no way at all:

# %%
alone = [*everybody, "credit_amount fixed", "duration_in_month fixed", "other_debtors fixed"]
stuck = explainer.explain(refused, k=1, rules=alone)
print(stuck)
row = [status.answered for status in stuck.status].index(False)
print(stuck.why(row))

# %% [markdown]
# ## The page
# Everything above, for somebody who does not write rules: in a notebook, `explainer.page` shows the
# applicant, what she can change and the ways, and solves again after every edit. It is a widget; no
# port is opened. (On the command line: `ifonly page model.skops --data train.csv --rows rows.csv`.)

# %%
page = explainer.page(applicant, k=4, rules=rules, title="Your application")
page

# %% [markdown]
# ![The page, here with the applicant of the demo](../pictures/page-wishes.png)
#
# ## Where to go next
# All rules: [State what can change](../guides/state-what-can-change.md). A letter with reasons:
# [A validator's afternoon](a-validators-afternoon.md). What the page can do: [The page](../guides/page.md).
