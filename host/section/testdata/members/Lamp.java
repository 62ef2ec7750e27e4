/* A lamp:
class Heater {
    void run() {
    }
}
*/
@Entity(
    name = "lamp"
)
public final class Lamp<T extends Base>
        extends Device
        implements Switch {

    private final int power =
            run(3);

    public Lamp(int level) {
        run(level);
    }

    /**
     * Starts the lamp.
     */
    @Override
    public <S> Map<String, List<S>> run(final int level, S... more) throws IOException,
            OtherException {
        run(level, more);
        return "Lamp";
    }

    abstract int stop();
}

class Heater {
    void run() {
        return "Heater";
    }

    synchronized void cool() { run(); }
}
