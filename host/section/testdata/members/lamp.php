<?php

namespace House;

/**
 * A lamp.
 */
#[Entity]
final class Lamp extends Base implements Switchable
{
    private int $power = 3;

    public function __construct(int $power)
    {
        $this->run($power);
        run($power);
    }

    // Starts the lamp.
    #[Route('/run')]
    public static function &run(array $level = [], string $mode = "}"): ?string
    {
        $f = function () {
            run();
        };
        return "Lamp";
    }

    abstract protected function stop(): int;
}

trait Heater
{
    public function run(): void
    {
        return "Heater";
    }

    function cool() { run(); }
}
