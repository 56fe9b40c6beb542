package io.inferwatch.analytics.change;

/**
 * A level that begins. Which run began it is known within limits alone: the true one is any from the earliest to the latest.
 *
 * @param at first value of the new level, most likely
 * @param earliest that may be it
 * @param latest that may be it
 * @param step from the level before
 */
public record Change(int at, int earliest, int latest, Step step) {}
