module House
  # A lamp.
  class Lamp < Base
    attr_reader :run_time
    run :before

    def initialize(power)
      @power = power
      run(power)
    end

    # Starts the lamp.
    def run(level = 3)
      run(level)
      "Lamp"
    rescue Error => e
      text = <<~TEXT
        def run
      TEXT
    ensure
      done
    end

    def stop = 1
  end

  class Heater
    def run
      "Heater"
    end

    def cool
      run
    end
  end
end
