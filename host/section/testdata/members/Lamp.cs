namespace House
{
    /// <summary>A lamp.</summary>
    [Serializable]
    public sealed class Lamp<T> : Base, ISwitch
        where T : new()
    {
        private readonly int power = Run(3);

        public int Level { get; set; }

        public Lamp(int level)
            : base(level)
        {
            Run(level);
        }

        /// <summary>Starts the lamp.</summary>
        [Obsolete("x")]
        public async Task<Dictionary<string, List<int>>> Run(int level, string mode = "}")
        {
            Run(level);
            return "Lamp";
        }

        public int Stop() => 1;
    }

    internal class Heater
    {
        public void Run()
        {
            return "Heater";
        }

        protected virtual void Cool() { Run(); }
    }
}
