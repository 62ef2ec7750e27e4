/// A lamp.
#[derive(Debug, Clone)]
pub struct Lamp<'a> {
    power: &'a str,
}

pub struct Heater;

impl<'a> Lamp<'a> {
    pub const LEVEL: u8 = 3;

    /// Starts the lamp.
    #[inline]
    pub(crate) async fn run<T>(&'a self, level: T) -> Result<(), Error>
    where
        T: Into<u8>,
    {
        let c = '}';
        run(level);
        "Lamp"
    }

    fn stop(&self) -> u8 { 1 }
}

impl Switch for Heater {
    fn run(&self) {
        "Heater"
    }

    fn cool(&self) {
        run(2);
    }
}

impl From<Lamp> for Heater {
    fn from(lamp: Lamp) -> Self {
        Heater
    }
}
