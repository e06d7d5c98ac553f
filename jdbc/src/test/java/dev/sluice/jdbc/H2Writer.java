package dev.sluice.jdbc;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Counts in H2, and tells each number once its commit is acknowledged; another connection adds and deletes rows. */
final class H2Writer {
    private H2Writer() {}

    /** @param args the database's address, and the file that gets the numbers */
    public static void main(String[] args) throws Exception {
        try (Connection connection = DriverManager.getConnection(args[0]);
                Statement statement = connection.createStatement();
                OutputStream told =
                        Files.newOutputStream(Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            statement.execute("CREATE TABLE IF NOT EXISTS counter(id INT PRIMARY KEY, n BIGINT)");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS line(id BIGINT AUTO_INCREMENT PRIMARY KEY, text VARCHAR(400))");
            statement.execute("MERGE INTO counter VALUES (1, SELECT COALESCE(MAX(n), 0) FROM counter)");
            ResultSet row = statement.executeQuery("SELECT n FROM counter");
            row.next();
            long n = row.getLong(1);
            Thread.ofPlatform().daemon().start(() -> addAndDelete(args[0]));
            System.out.println("writing");
            while (true) {
                n++;
                statement.execute("UPDATE counter SET n = " + n);
                told.write((n + "\n").getBytes(StandardCharsets.US_ASCII));
                Thread.sleep(15);
            }
        }
    }

    private static void addAndDelete(String url) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            while (true) {
                statement.execute("INSERT INTO line(text) VALUES ('" + "x".repeat(300) + "')");
                statement.execute("DELETE FROM line WHERE id < (SELECT MAX(id) FROM line) - 2");
                Thread.sleep(10);
            }
        } catch (SQLException | InterruptedException failed) {
            failed.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
