import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * FlinkCepStream PORT WINDOW PARALLELISM: reads lines "time,type,key" from a socket of this machine
 * until it is closed, and prints for every match the time of its last event and when it was found,
 * in milliseconds since 1970.
 */
public class FlinkCepStream {
  private static final PrintStream OUT =
      new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));

  public static class Event {
    public long ts;
    public String type;
    public long key;

    public Event() {}

    Event(String line) {
      String[] cells = line.split(",");
      ts = Long.parseLong(cells[0]);
      type = cells[1];
      key = Long.parseLong(cells[2]);
    }
  }

  private static SimpleCondition<Event> is(String type) {
    return SimpleCondition.of(event -> event.type.equals(type));
  }

  public static class Told extends PatternProcessFunction<Event, Long> {
    @Override
    public void processMatch(Map<String, List<Event>> match, Context context, Collector<Long> out) {
      long now = System.currentTimeMillis();
      synchronized (OUT) {
        OUT.println(match.get("b").get(0).ts + " " + now);
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Configuration settings = new Configuration();
    for (String each : List.of("rest.bind-address", "rest.address", "jobmanager.bind-host",
        "taskmanager.bind-host")) {
      settings.setString(each, "127.0.0.1");
    }
    settings.setString("pipeline.object-reuse", "true");
    settings.setString("pipeline.auto-watermark-interval", "10 ms");
    settings.setString("execution.buffer-timeout.interval", "5 ms");
    int parallelism = Integer.parseInt(arguments[2]);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, settings);
    DataStream<Event> events = environment
        .socketTextStream("127.0.0.1", Integer.parseInt(arguments[0]))
        .map(Event::new).returns(Event.class).setParallelism(1)
        .assignTimestampsAndWatermarks(
            WatermarkStrategy.<Event>forMonotonousTimestamps()
                .withTimestampAssigner((event, before) -> event.ts))
        .setParallelism(1)
        .filter(event -> event.type.equals("A") || event.type.equals("B")).setParallelism(1);
    Pattern<Event, ?> pattern = Pattern.<Event>begin("a").where(is("A"))
        .followedBy("b").where(is("B"))
        .within(Duration.ofMillis(Long.parseLong(arguments[1])));
    CEP.pattern(events.keyBy(event -> event.key), pattern)
        .process(new Told())
        .sinkTo(new DiscardingSink<>());
    Thread flusher = new Thread(() -> {
      while (true) {
        try {
          Thread.sleep(5);
        } catch (InterruptedException error) {
          return;
        }
        synchronized (OUT) {
          OUT.flush();
        }
      }
    });
    flusher.setDaemon(true);
    flusher.start();
    environment.execute();
    synchronized (OUT) {
      OUT.flush();
    }
    System.exit(0);
  }
}
