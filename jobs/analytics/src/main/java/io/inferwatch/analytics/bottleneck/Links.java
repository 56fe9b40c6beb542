package io.inferwatch.analytics.bottleneck;

/** Which of a device's links are saturated: to its host, and to its neighbours. */
public enum Links {
    /** None that was read. */
    FREE,
    /** PCIe alone: copies between host and device. */
    PCIE,
    /** NVLink alone: devices among each other. */
    NVLINK,
    /** Both. */
    PCIE_AND_NVLINK,
    /** Neither was read. */
    UNKNOWN;

    static Links of(Activity activity, BottleneckRule rule) {
        Long pcie = activity.pciePpm();
        Long nvlink = activity.nvlinkPpm();
        if (pcie == null && nvlink == null) {
            return UNKNOWN;
        }
        boolean isPcie = pcie != null && pcie > rule.saturatedLinkPpm();
        boolean isNvlink = nvlink != null && nvlink > rule.saturatedLinkPpm();
        if (isPcie && isNvlink) {
            return PCIE_AND_NVLINK;
        }
        return isPcie ? PCIE : isNvlink ? NVLINK : FREE;
    }
}
