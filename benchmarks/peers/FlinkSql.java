import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * FlinkSql COLUMNS QUERY PARALLELISM FILE…: asks the query of the table `events`, once per file, and
 * prints the answer to the last one and the seconds of every job as JSON.
 */
public class FlinkSql {
  private static Configuration settings(String parallelism) {
    Configuration settings = new Configuration();
    for (String each : List.of("rest.bind-address", "rest.address", "jobmanager.bind-host",
        "taskmanager.bind-host")) {
      settings.setString(each, "127.0.0.1");
    }
    settings.setString("parallelism.default", parallelism);
    settings.setString("pipeline.object-reuse", "true");
    settings.setString("taskmanager.memory.managed.size", "512m");
    // A sum that changes with every match is then not sent after every match.
    settings.setString("table.exec.mini-batch.enabled", "true");
    settings.setString("table.exec.mini-batch.allow-latency", "5 s");
    settings.setString("table.exec.mini-batch.size", "1000000");
    return settings;
  }

  private static String table(String columns, String file) {
    return "CREATE TEMPORARY TABLE events (" + columns + ", row_time AS TO_TIMESTAMP_LTZ(ts, 3), "
        + "WATERMARK FOR row_time AS row_time) WITH ('connector' = 'filesystem', 'format' = 'csv', "
        + "'path' = 'file://" + file + "')";
  }

  /** The last version of the only row: a stream's sums grow until it ends. */
  private static Row last(TableEnvironment environment, String query) throws Exception {
    Row last = null;
    try (CloseableIterator<Row> rows = environment.executeSql(query).collect()) {
      while (rows.hasNext()) last = rows.next();
    }
    return last;
  }

  public static void main(String[] arguments) throws Exception {
    TableEnvironment environment = TableEnvironment.create(
        EnvironmentSettings.newInstance().inStreamingMode()
            .withConfiguration(settings(arguments[2])).build());
    List<Double> seconds = new ArrayList<>();
    Row row = null;
    for (int i = 3; i < arguments.length; i++) {
      environment.executeSql(table(arguments[0], arguments[i]));
      long started = System.nanoTime();
      row = last(environment, arguments[1]);
      seconds.add((System.nanoTime() - started) / 1e9);
      environment.executeSql("DROP TEMPORARY TABLE events");
    }
    List<Long> answer = new ArrayList<>();
    for (int i = 0; row != null && i < row.getArity(); i++) {
      Object cell = row.getField(i);
      answer.add(cell == null ? 0 : ((Number) cell).longValue());
    }
    System.out.printf("{\"answer\": %s, \"seconds\": %s}%n", answer, seconds);
    System.exit(0);
  }
}
