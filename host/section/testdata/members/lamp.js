class Lamp extends Base {
  #power = 1;

  static handler = () => {
    run();
  };

  // Starts the lamp.
  async *run(level = {}) {
    run(level);
    return "Lamp";
  }

  stop() { return 1; }
}

const Heater = {
  run: function (level) {
    return "Heater";
  },
  cool() {
    run(2);
  },
};
