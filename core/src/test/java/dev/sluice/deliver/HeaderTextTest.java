package dev.sluice.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeaderTextTest {
    @ParameterizedTest
    @CsvSource(ignoreLeadingAndTrailingWhitespace = false, textBlock = """
                    gw-1.example:8080/~x,gw-1.example:8080/~x
                    Zürich,Z%C3%BCrich
                     a b,%20a%20b
                    100%,100%25
                    %20,%2520
                    😀,%F0%9F%98%80
                    """)
    void whatAHeaderCannotCarryIsEncoded(String text, String header) {
        assertThat(HeaderText.of(text)).isEqualTo(header);
    }
}
