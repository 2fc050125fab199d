"""Questions that the paper leaves open, answered by probes."""

from primefourier.lab.questions.answers import Answers, answer_questions
from primefourier.lab.questions.table import answers_as_data, answers_as_markdown

__all__ = ["Answers", "answer_questions", "answers_as_data", "answers_as_markdown"]
