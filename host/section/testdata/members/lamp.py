import time


@dataclass(
    frozen=True,
)
class Lamp(Base):
    """A lamp.

    def run(self): is an example in a string
    """

    power = 5

    def __init__(self, power=3):
        self.power = power

    # Starts the lamp.
    @retry(3)
    async def run(
        self,
        level: int = 3,
    ) -> None:
        if level:
            run(self)

        def helper():
            return "Lamp"

        await helper()  # of the Lamp

    def stop(self): return 1


class Heater:
    def run(self):
        return "Heater"

    def cool(self):
        run(3)

    class Coil:
        def warm(self):
            return "Coil"
