import java.io.BufferedReader;
import java.io.FileReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.util.Collector;

/** FlinkCep QUESTION FILE PARALLELISM: prints the answer and the seconds of the job as JSON. */
public class FlinkCep {
  private static final int EVENTS_PER_WATERMARK = 200;

  public static class Event {
    public long ts;
    public String type;
    public long key;
    public long value;

    public Event() {}

    Event(String line) {
      String[] cells = line.split(",");
      ts = Long.parseLong(cells[0]);
      type = cells[1];
      key = Long.parseLong(cells[2]);
      value = Long.parseLong(cells[3]);
    }
  }

  /** What a question adds up over its matches; tasks of a local job share the process. */
  private static final LongAdder[] SUMS = new LongAdder[5];

  static {
    for (int i = 0; i < SUMS.length; i++) SUMS[i] = new LongAdder();
  }

  public static class CsvSource implements SourceFunction<Event> {
    private final String path;
    private volatile boolean running = true;

    CsvSource(String path) {
      this.path = path;
    }

    @Override
    public void run(SourceContext<Event> context) throws Exception {
      try (BufferedReader reader = new BufferedReader(new FileReader(path))) {
        String line;
        while (running && (line = reader.readLine()) != null) {
          Event event = new Event(line);
          context.collectWithTimestamp(event, event.ts);
          if (event.ts % EVENTS_PER_WATERMARK == 0) {
            context.emitWatermark(new Watermark(event.ts - 1));
          }
        }
      }
      context.emitWatermark(Watermark.MAX_WATERMARK);
    }

    @Override
    public void cancel() {
      running = false;
    }
  }

  private static SimpleCondition<Event> is(String type) {
    return SimpleCondition.of(event -> event.type.equals(type));
  }

  /** All matches of A, B, C of one key in which the last is at most 1000 after the first. */
  private static Pattern<Event, ?> sequence() {
    return Pattern.<Event>begin("a").where(is("A"))
        .followedByAny("b").where(is("B"))
        .followedByAny("c").where(is("C"))
        .within(Duration.ofMillis(1001));
  }

  public static class Rising extends IterativeCondition<Event> {
    @Override
    public boolean filter(Event event, Context<Event> context) throws Exception {
      if (!event.type.equals("L")) return false;
      Event last = null;
      for (Event each : context.getEventsForPattern("l")) last = each;
      return last == null || event.value > last.value;
    }
  }

  private static Pattern<Event, ?> risingRun() {
    return Pattern.<Event>begin("s").where(is("S"))
        .next("l").where(new Rising()).oneOrMore().consecutive()
        .next("e").where(is("E"));
  }

  public static class SumSequence extends PatternProcessFunction<Event, Long> {
    @Override
    public void processMatch(Map<String, List<Event>> match, Context context, Collector<Long> out) {
      Event first = match.get("a").get(0);
      SUMS[0].increment();
      SUMS[1].add(first.key);
      SUMS[2].add(first.ts);
      SUMS[3].add(match.get("b").get(0).ts);
      SUMS[4].add(match.get("c").get(0).ts);
    }
  }

  public static class SumRun extends PatternProcessFunction<Event, Long> {
    @Override
    public void processMatch(Map<String, List<Event>> match, Context context, Collector<Long> out) {
      SUMS[0].increment();
      for (Event each : match.get("l")) SUMS[1].add(each.value);
    }
  }

  public static void main(String[] arguments) throws Exception {
    boolean isSequence = arguments[0].equals("w1");
    Configuration settings = new Configuration();
    for (String each : List.of("rest.bind-address", "rest.address", "jobmanager.bind-host",
        "taskmanager.bind-host")) {
      settings.setString(each, "127.0.0.1");
    }
    settings.setString("pipeline.object-reuse", "true");
    int parallelism = Integer.parseInt(arguments[2]);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, settings);
    DataStream<Event> events = environment.addSource(new CsvSource(arguments[1]))
        .returns(Event.class);
    if (isSequence) events = events.filter(event -> "ABC".contains(event.type));
    CEP.pattern(events.keyBy(event -> event.key), isSequence ? sequence() : risingRun())
        .process(isSequence ? new SumSequence() : new SumRun())
        .sinkTo(new DiscardingSink<>());
    long started = System.nanoTime();
    environment.execute();
    double seconds = (System.nanoTime() - started) / 1e9;
    StringBuilder answer = new StringBuilder();
    for (int i = 0; i < (isSequence ? 5 : 2); i++) {
      answer.append(i == 0 ? "" : ", ").append(SUMS[i].sum());
    }
    System.out.printf("{\"answer\": [%s], \"seconds\": %s}%n", answer, seconds);
    System.exit(0);
  }
}
