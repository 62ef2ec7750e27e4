/**
 * A lamp. class Heater {
 */
export default class Lamp extends Base<string> implements Switch {
  private power = run(3);
  handler = async (e: Event) => {
    this.stop();
  };

  constructor(private readonly level: number) {
    super();
    run(level);
  }

  /** Starts the lamp. */
  @log()
  public async run({ level, mode }: Options = {}): Promise<void> {
    if (level) {
      run(level);
    } else {
      text = `
  run() {
}
`;
    }
    return "Lamp";
  }

  get stop(): number { return 1 }
}

export class Heater {
  run<T extends string>(
    level: T,
    mode = {},
  ): void {
    return "Heater"
  }

  cool() {
    run(2);
  }
}
