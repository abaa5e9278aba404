/** Makes 4 GB of garbage with 12 MB in use: any heap is filled again and again. */
class Churn {
    private static final int USED_MB = 12;
    private static final int MADE_MB = 4_000;

    static byte[][] used = new byte[USED_MB][];

    public static void main(String[] arguments) {
        for (int i = 0; i < MADE_MB; i++) {
            used[i % USED_MB] = new byte[1 << 20];
        }
        System.out.println("churned");
    }
}
