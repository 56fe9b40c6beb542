package io.inferwatch.simulation.engine;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The blocks of a paged KV cache. A block is free, in use by one or more sequences, or unused but remembered by its hash; remembered ones
 * are found again, and given away, least recently used first, when nothing is free. At any moment free + remembered + used = all. Not
 * thread safe.
 */
final class BlockPool {
    private final int[] users;
    private final boolean[] hasHash;
    private final long[] hashes;
    private final Deque<Integer> free = new ArrayDeque<>();
    private final Map<Long, Integer> blockByHash = new HashMap<>();
    private final Set<Integer> remembered = new LinkedHashSet<>();
    private int withheld;

    BlockPool(int blocks) {
        users = new int[blocks];
        hasHash = new boolean[blocks];
        hashes = new long[blocks];
        for (int block = 0; block < blocks; block++) {
            free.add(block);
        }
    }

    int size() {
        return users.length;
    }

    /** Blocks in use, not counting those that are withheld. */
    int used() {
        return users.length - free.size() - remembered.size();
    }

    /** Blocks that nobody has and nobody can have. */
    int withheld() {
        return Math.min(withheld, free.size() + remembered.size());
    }

    /** Blocks that can be had now. */
    int available() {
        return Math.max(0, free.size() + remembered.size() - withheld);
    }

    /** Keeps so many blocks from being given away; those in use stay in use. */
    void withhold(int blocks) {
        withheld = blocks;
    }

    /** How many full blocks of the prompt are there, from its beginning on. */
    int known(Prompt prompt) {
        int block = 0;
        while (block < prompt.fullBlocks() && blockByHash.containsKey(prompt.blockHash(block))) {
            block++;
        }
        return block;
    }

    /** How many of the prompt's first blocks are there and unused: taking them makes fewer available. */
    int unusedAmong(Prompt prompt, int blocks) {
        int unused = 0;
        for (int block = 0; block < blocks; block++) {
            if (users[blockOf(prompt.blockHash(block))] == 0) {
                unused++;
            }
        }
        return unused;
    }

    /** Takes a block that is there. */
    int share(long hash) {
        int block = blockOf(hash);
        if (users[block]++ == 0) {
            remembered.remove(block);
        }
        return block;
    }

    /** Takes a new block; one must be available. */
    int take() {
        if (available() == 0) {
            throw new IllegalStateException("no block is available");
        }
        Integer block = free.poll();
        if (block == null) {
            block = remembered.iterator().next();
            remembered.remove(block);
            forget(block);
        }
        users[block] = 1;
        return block;
    }

    /** Makes a full block known by its hash, unless another block holds the same already. */
    void remember(int block, long hash) {
        if (!hasHash[block] && blockByHash.putIfAbsent(hash, block) == null) {
            hasHash[block] = true;
            hashes[block] = hash;
        }
    }

    /** Gives a block back. */
    void release(int block) {
        if (users[block] == 0) {
            throw new IllegalStateException("block " + block + " is not in use");
        }
        if (--users[block] > 0) {
            return;
        }
        if (hasHash[block]) {
            remembered.add(block);
        } else {
            free.add(block);
        }
    }

    /** Forgets what all blocks hold: nothing is found again. */
    void forgetAll() {
        free.addAll(remembered);
        remembered.clear();
        blockByHash.clear();
        Arrays.fill(hasHash, false);
    }

    private int blockOf(long hash) {
        Integer block = blockByHash.get(hash);
        if (block == null) {
            throw new IllegalStateException("no block has that hash");
        }
        return block;
    }

    private void forget(int block) {
        if (hasHash[block]) {
            blockByHash.remove(hashes[block]);
            hasHash[block] = false;
        }
    }
}
