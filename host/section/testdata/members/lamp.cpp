// A lamp.
template <typename T>
class EXPORT Lamp final : public Base<T>, private Switch {
 public:
  explicit Lamp(int level) : Base<T>(level), power_(run(3)) {
    run(level);
  }
  ~Lamp() = default;

#ifdef HOUSE
  // Starts the lamp.
  virtual std::map<std::string, std::vector<int>> run(int level,
                                                      const char *mode = "}") const override {
    run(level);
    return "Lamp";
  }
#endif

 private:
  int stop() const noexcept;
  int power_ = run(2);
};

struct Heater
{
public:
    void run();

    static inline void *cool(void)
    {
        run();
        return nullptr;
    }
};
