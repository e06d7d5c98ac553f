package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ToolOnClassPathTest {
    @Test
    void theToolsOfTheOtherModulesAreFoundByName() {
        assertThat(ToolOnClassPath.find("dev.sluice.devmongo.DevMongoTool", "devmongo")
                        .name())
                .isEqualTo("devmongo");
        assertThat(ToolOnClassPath.find("dev.sluice.bench.BenchTool", "bench").name())
                .isEqualTo("bench");
    }

    @Test
    void aMissingModuleIsNamedWithItsRemedy() {
        assertThatThrownBy(() -> ToolOnClassPath.find("dev.sluice.absent.Tool", "absent"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the module absent is not on the class path")
                .hasMessageContaining("./sluice");
    }
}
