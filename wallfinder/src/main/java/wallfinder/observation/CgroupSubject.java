package wallfinder.observation;

/// Whose figures those of a cgroup are: the service's own group, or another one that stops its
/// processes, too.
///
/// @param group the folder of the other group; empty for the service's own
public record CgroupSubject(String service, Place place, String group) {
    private static final String AROUND = " in ";
    private static final String INSIDE = " of ";

    /// Where the group is.
    public enum Place {
        ITSELF,
        /// A parent.
        AROUND,
        /// A group inside the service's, as of a container of a pod.
        INSIDE
    }

    public static CgroupSubject around(String service, String group) {
        return new CgroupSubject(service, Place.AROUND, group);
    }

    public static CgroupSubject inside(String service, String group) {
        return new CgroupSubject(service, Place.INSIDE, group);
    }

    public static CgroupSubject parse(String text) {
        int around = text.lastIndexOf(AROUND);
        if (around > 0) {
            return around(text.substring(0, around), text.substring(around + AROUND.length()));
        }
        int inside = text.indexOf(INSIDE);
        return inside > 0
                ? inside(text.substring(inside + INSIDE.length()), text.substring(0, inside))
                : new CgroupSubject(text, Place.ITSELF, "");
    }

    /// Such as `web`, `web in pod7` or `app of web`.
    public String text() {
        return switch (place) {
            case ITSELF -> service;
            case AROUND -> service + AROUND + group;
            case INSIDE -> group + INSIDE + service;
        };
    }
}
