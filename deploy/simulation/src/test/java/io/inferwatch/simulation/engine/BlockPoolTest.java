package io.inferwatch.simulation.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BlockPoolTest {
    private final BlockPool pool = new BlockPool(3);

    @Test
    void theLeastRecentlyUsedRememberedBlockIsGivenAwayFirst() {
        Prompt prompt = Prompt.of(1, 3, 1);
        for (int i = 0; i < 3; i++) {
            pool.remember(pool.take(), prompt.blockHash(i));
        }
        pool.release(2);
        pool.release(1);
        pool.release(0);
        assertThat(pool.known(prompt)).isEqualTo(3);

        assertThat(pool.take()).isEqualTo(2);

        assertThat(pool.known(prompt)).isEqualTo(2);
        assertThat(pool.used()).isEqualTo(1);
        assertThat(pool.available()).isEqualTo(2);
    }

    @Test
    void aSharedBlockIsFreeOnlyWhenAllHaveGivenItBack() {
        Prompt prompt = Prompt.of(1, 1, 1);
        int block = pool.take();
        pool.remember(block, prompt.blockHash(0));
        assertThat(pool.share(prompt.blockHash(0))).isEqualTo(block);
        pool.release(block);
        assertThat(pool.used()).isEqualTo(1);
        pool.release(block);
        assertThat(pool.used()).isZero();
        assertThat(pool.known(prompt)).isEqualTo(1);
    }

    @Test
    void freeBlocksAreTakenBeforeRememberedOnes() {
        Prompt prompt = Prompt.of(1, 1, 1);
        int first = pool.take();
        pool.remember(first, prompt.blockHash(0));
        pool.release(first);

        assertThat(pool.take()).isNotEqualTo(first);
        assertThat(pool.take()).isNotEqualTo(first);
        assertThat(pool.take()).isEqualTo(first);
        assertThat(pool.known(prompt)).isZero();
    }

    @Test
    void withheldBlocksCannotBeTaken() {
        pool.withhold(2);
        pool.take();

        assertThat(pool.available()).isZero();
        assertThatThrownBy(pool::take).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatWasForgottenIsFreeAndUnknown() {
        Prompt prompt = Prompt.of(1, 2, 1);
        int kept = pool.take();
        pool.remember(kept, prompt.blockHash(0));
        int unused = pool.take();
        pool.remember(unused, prompt.blockHash(1));
        pool.release(unused);

        pool.forgetAll();

        assertThat(pool.known(prompt)).isZero();
        assertThat(pool.used()).isEqualTo(1);
        pool.release(kept);
        assertThat(pool.available()).isEqualTo(3);
    }

    @Test
    void nothingIsGivenBackTwice() {
        int block = pool.take();
        pool.release(block);

        assertThatThrownBy(() -> pool.release(block)).hasMessage("block " + block + " is not in use");
    }
}
