/** A lamp. */
data class Lamp(
    val power: Int,
    private val mode: () -> Unit = { run(3) },
) : Device(power), Switch {

    init {
        run(power)
    }

    /** Starts the lamp. */
    @Throws(IOException::class)
    override suspend fun <T> run(level: T): T where T : Any {
        run(level)
        return "Lamp"
    }

    fun stop() = 1

    companion object {
        fun create() = Lamp(1)
    }
}

object Heater {
    fun run() {
        return "Heater"
    }

    private fun cool() = run()
}
