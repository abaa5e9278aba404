package wallfinder.load;

import java.nio.charset.StandardCharsets;

/// Recognizes one of a few lower-case words byte by byte.
final class KeywordMatcher {
    private final byte[][] words;

    KeywordMatcher(String... words) {
        this.words = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            this.words[i] = words[i].getBytes(StandardCharsets.US_ASCII);
        }
    }

    /// Which word starts with the first `position` bytes of `word` and then `c`, or -1.
    int follow(int word, int position, int c) {
        if (continues(word, position, c)) {
            return word;
        }
        for (int other = 0; other < words.length; other++) {
            if (continues(other, position, c) && shares(word, other, position)) {
                return other;
            }
        }
        return -1;
    }

    private boolean continues(int word, int position, int c) {
        return position < words[word].length && words[word][position] == c;
    }

    private boolean shares(int word, int other, int count) {
        for (int i = 0; i < count; i++) {
            if (i >= words[word].length || words[word][i] != words[other][i]) {
                return false;
            }
        }
        return true;
    }

    boolean complete(int word, int position) {
        return word >= 0 && position == words[word].length;
    }
}
