"""Answers as HTML."""


def page(views, record):
    return ""


def fragment(views, total):
    return ""
