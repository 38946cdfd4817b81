from program import MESSAGES, Weather, run
from settings import client


def structured():
    return client.create(response_model=Weather, messages=MESSAGES).model_dump()


def streamed():
    *_, last = client.create_partial(response_model=Weather, messages=MESSAGES)
    return last.model_dump()


run(structured=structured, streamed=streamed)
