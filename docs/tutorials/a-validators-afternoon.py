# %% [markdown]
# # A validator's afternoon: audit, reasons, record, verify
#
# A model is about to go live, and somebody who did not build it has an afternoon. Four questions:
#
# 1. Is recourse equal? Two groups can be refused equally often, and one still has the longer way.
# 2. Why was this person refused, in words that a letter can state?
# 3. Can we show later what was said?
# 4. Would anybody notice if the record were changed?
#
# The model predicts from the bundled Adult data whether somebody earns more than 50,000; a lender uses
# it to pre-approve offers. It reads gender and race, as many old models do.

# %%
from datetime import UTC, datetime
from pathlib import Path

from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly

train, test = ifonly.datasets.load("adult").split()
words = OneHotEncoder()
encode = make_column_transformer((words, list(train.categorical)), remainder=StandardScaler())
offer = train.outcome.map({0: "no offer", 1: "offer"})
model = make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(train.features, offer)

# %% [markdown]
# ## 1. The audit
# Every row without an offer is explained once, under rules that hold for everybody, and all measures
# come from these answers. 600 people are enough for a first look; the intervals say how sure it is.

# %%
people = test.features[:600]
rules = ["race fixed", "gender fixed", "marital_status fixed", "age only increases"]
audit = ifonly.audit(
    model,
    people,
    data=train.features,
    target="offer",
    groups=["gender"],
    rules=[*rules, "age changes by at most 5"],
    k=1,
)
table = audit.by_group.loc["gender"]
print(table[["rows", "refused", "selection_rate", "reach", "burden"]].round(2).to_string())

# %% [markdown]
# Women get far fewer offers. Everybody who is refused has some way (`reach`), but that of a woman is
# more than twice as long: `burden` is the mean distance of the nearest answer. Is that chance?

# %%
print(audit.tests.round(3).to_string(index=False))
flips = audit.by_group.loc["gender", "flips"]
print(f"\nanother gender alone would be enough for {flips['Female']:.0%} of the refused women")

# %%
audit.plot("gender")

# %% [markdown]
# The curves show the share of each group that gets an offer within a given distance. Few are refused for
# their gender alone (`flips`), and still the distances differ: what the model learnt from marriage and
# working hours does it. And where is it worst?

# %%
print(audit.further.worst["gender"].found[0].sentence)

# %% [markdown]
# `audit.to_html("audit.html")` writes all of it as one page for the file.
#
# ## 2. Reasons for one person
# Reasons say what the decision rested on, whether or not it can be changed. Ways say what can be
# done. A letter needs both, and they are not the same.

# %%
refused = people[model.predict(people) == "no offer"]
married = refused.query(
    "gender == 'Female' and marital_status == 'Married' and education == 'HS-grad'"
)
person = married.query("occupation == 'White-Collar'")[:1]
print(person.iloc[0].to_string(), end="\n\n")

explainer = ifonly.Explainer(model, data=train.features, rules=rules)
answers = explainer.explain(person, k=2)
print(answers.reasons(0), end="\n\n")
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# The ways are odd for a person of 42: a degree by tomorrow. State that it takes time, and how long a
# way may be, before anything is written to anybody. The reasons stay what they are.

# %%
levels = ["School", "HS-grad", "Some-college", "Assoc", "Bachelors", "Masters", "Prof-school"]
space = ifonly.Space.infer(train.features, ordinal={"education": [*levels, "Doctorate"]})
rules += [
    "education only increases",
    "education: HS-grad -> Some-college takes 1, Some-college -> Assoc takes 1, "
    "Assoc -> Bachelors takes 2, Bachelors -> Masters takes 2 of age",
    "if education changes then education not in Prof-school, Doctorate",
    "age changes by at most 8",
]
explainer = ifonly.Explainer(model, data=train.features, space=space, rules=rules)
answers = explainer.explain(person, k=2)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# The words of a letter come from your own table of codes; a table that leaves out a feature which
# the model reads is refused at once.

# %%
said = {
    "age": "Your age.",
    "workclass": "Your kind of work.",
    "education": "Your education ({value}).",
    "marital_status": "Your marital status ({value}).",
    "occupation": "Your occupation ({value}).",
    "race": "Your race.",
    "gender": "Your gender.",
    "hours_per_week": "You work {value} hours per week.",
}
codes = [
    {"feature": name, "when": "", "code": f"R{number:02}", "sentence": sentence}
    for number, (name, sentence) in enumerate(said.items(), start=1)
]
print(answers.notice(0, codes=codes, valid_until="31 May 2027"))

# %% [markdown]
# Read it as the person who opens the letter: *your gender*. No letter should have to state that, and
# ifonly does not hide it. What mends it is a model without that column, not a nicer letter: the
# validator's finding of the day.
#
# ## 3. A record, signed
# The record has what was said and all that is needed to derive it again.

# %%
from ifonly.contract import DecisionRecord
from ifonly.contract.records.record_file import faults_of, read_record, write_record
from ifonly.contract.records.signing import make_keys, read_private, read_public, signed

for name, content in zip(("lender.key", "lender.pub"), make_keys(), strict=True):
    Path(name).write_bytes(content)

secret = b"the secret of the rows' hashes"
record = DecisionRecord.of(
    answers,
    person.to_dict("records")[0],
    time=datetime(2026, 11, 18, 15, tzinfo=UTC),
    key=secret,
    reasons=answers.reasons(0, codes=codes),
)
write_record(signed(record, read_private(Path("lender.key"))), Path("record.json"))

# %% [markdown]
# ## 4. Verify
# Months later: the file, the public key, the model and its data are enough. (On the command line:
# `ifonly verify record.json --model model.skops --data train.csv --public lender.pub --key records.key`.)

# %%
kept, stated = read_record(Path("record.json"))
check = {"public": read_public(Path("lender.pub")), "explainer": explainer}
print("faults:", faults_of(kept, stated=stated, key=secret, **check))

# %% [markdown]
# Somebody who edits the score, so that the refusal looks clearer than it was, is found three times:

# %%
edited = kept.model_copy(update={"score": 0.01})
for fault in faults_of(edited, stated=stated, key=secret, **check):
    print("-", fault.partition(" in the record")[0])

# %% [markdown]
# ## Where to go next
# What every measure means: [Audit a model](../guides/audit-a-model.md). Which law asks for which part:
# [Reasons, notices and their records](../guides/reasons-and-notices.md). A chain of records in a
# database: [Keep and check decisions](../guides/records.md).
