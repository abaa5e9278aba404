package wallfinder.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.UsageException;

class KubernetesTargetTest {
    private static GeneratorTarget parse(String text) {
        return GeneratorTarget.parse("--generator", text);
    }

    @Test
    void a_namespace_may_have_a_number_of_pods_an_image_and_a_context() {
        assertThat(parse("k8s:load")).isEqualTo(new KubernetesTarget("load", 1, "", ""));
        assertThat(parse("k8s:load?replicas=8&image=a.example:5000/b/c:1.2&context=me@there"))
                .isEqualTo(new KubernetesTarget("load", 8, "a.example:5000/b/c:1.2", "me@there"));
        assertThat(parse("ssh:load")).isEqualTo(new SshTarget("load"));
    }

    @Test
    void a_pod_may_have_an_image_and_a_context() {
        assertThat(ServerTarget.parse("--server", "k8s:shop/web-5d4f.a"))
                .isEqualTo(new KubernetesPod("shop", "web-5d4f.a", "", ""));
        assertThat(ServerTarget.parse("--server", "k8s:shop/web?context=c&image=i"))
                .isEqualTo(new KubernetesPod("shop", "web", "i", "c"));
        assertThat(ServerTarget.parse("--server", "ssh:web")).isEqualTo(new SshTarget("web"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"k8s:shop", "k8s:shop/", "k8s:/web", "k8s:a/b/c", "k8s:a/b?replicas=2"})
    void no_other_text_names_a_pod(String text) {
        assertThatThrownBy(() -> ServerTarget.parse("--server", text))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--server " + text + " cannot be used");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "k8s:",
                "k8s:-n",
                "k8s:Load",
                "k8s:load?",
                "k8s:load?replicas",
                "k8s:load?replicas=0",
                "k8s:load?replicas=1001",
                "k8s:load?replicas=1e3",
                "k8s:load?image=",
                "k8s:load?context=--all",
                "k8s:load?cpu=3",
                "k8s:load?replicas=2&&image=a"
            })
    void anything_else_is_refused_with_an_example(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--generator " + text + " cannot be used");
    }
}
