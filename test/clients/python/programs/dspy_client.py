import asyncio

import dspy
from program import PROMPT, Weather, run
from settings import lm


class Forecast(dspy.Signature):
    """Forecast the weather."""

    question: str = dspy.InputField()
    weather: Weather = dspy.OutputField()


def chat():
    return lm(PROMPT)


def structured():
    with dspy.context(adapter=dspy.JSONAdapter()):
        return dspy.Predict(Forecast)(question=PROMPT).weather.model_dump()


def streamed():
    listener = dspy.streaming.StreamListener(signature_field_name="answer")
    predict = dspy.streamify(dspy.Predict("question -> answer"), stream_listeners=[listener])

    async def last():
        return [part async for part in predict(question=PROMPT)][-1].answer

    return asyncio.run(last())


run(chat=chat, structured=structured, streamed=streamed)
