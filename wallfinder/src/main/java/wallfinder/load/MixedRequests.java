package wallfinder.load;

import wallfinder.linux.Memory;

/// Several requests in turn, or requests that change. A request that changes is written into memory
/// of its slot, where it stays until it is answered.
final class MixedRequests implements Requests {
    private static final int LINE_BYTES = 64;

    private final RequestForm[] forms;
    private final int[] round;
    private final Variables variables;
    private final long memory;
    private final long memoryBytes;
    private final long slotBytes;

    /// The values of a request's variables, in order.
    private final long[] values;

    private int turn;
    private int taken;
    private long random;

    /// @param from the first turn of this thread
    MixedRequests(RequestForm[] forms, int[] round, int from, RequestMix mix, int connections) {
        this.forms = forms;
        this.round = round;
        this.turn = from;
        variables = mix.variables();
        random = variables.seed();
        int bytesMax = 0;
        int variablesMax = 0;
        for (RequestForm form : forms) {
            bytesMax = form.plain ? bytesMax : Math.max(bytesMax, form.bytesMax());
            variablesMax = Math.max(variablesMax, form.variables());
        }
        values = new long[variablesMax];
        slotBytes = (bytesMax + LINE_BYTES - 1L) / LINE_BYTES * LINE_BYTES;
        memoryBytes = slotBytes * connections;
        memory = memoryBytes == 0 ? 0 : Memory.map(memoryBytes);
    }

    @Override
    public void next(Exchange exchange) {
        exchange.target = round[turn];
        RequestForm form = forms[exchange.target];
        turn = turn + 1 < round.length ? turn + 1 : 0;
        exchange.head = form.head;
        exchange.expects = form.expects;
        exchange.bodyAddress = form.bodyAddress;
        exchange.bodyLength = form.bodyLength;
        if (form.plain) {
            exchange.requestAddress = form.start.firsts[0];
            exchange.requestLength = form.start.plainBytes;
        } else {
            write(form, exchange);
        }
    }

    private void write(RequestForm form, Exchange exchange) {
        draw(form);
        taken = 0;
        CompiledTemplate body = form.body;
        long bodyLength = body == null ? 0 : body.plainBytes + digits(form.start, body);
        long from = memory + exchange.slot * slotBytes;
        long headEnd = write(form.start, from, bodyLength, exchange);
        long end = body == null ? headEnd : write(body, headEnd, 0, exchange);
        boolean apart = form.expects || end - from > RequestForm.TOGETHER_BYTES_MAX;
        exchange.requestAddress = from;
        if (body != null && apart) {
            exchange.requestLength = (int) (headEnd - from);
            exchange.bodyAddress = headEnd;
            exchange.bodyLength = end - headEnd;
        } else {
            exchange.requestLength = (int) (end - from);
        }
    }

    /// Chooses the values of all variables before anything is written, because the length of the
    /// body precedes the body.
    private void draw(RequestForm form) {
        long counted = form.counts ? variables.count() : 0;
        int drawn = draw(form.start, counted, 0);
        if (form.body != null) {
            draw(form.body, counted, drawn);
        }
    }

    private int draw(CompiledTemplate script, long counted, int from) {
        int at = from;
        for (int i = 0; i < script.kinds.length; i++) {
            if (script.kinds[i] == CompiledTemplate.COUNTER) {
                values[at++] = counted;
            } else if (script.kinds[i] == CompiledTemplate.RANDOM) {
                values[at++] = script.firsts[i] + random(script.seconds[i]);
            }
        }
        return at;
    }

    /// How many digits the variables of the body have.
    private long digits(CompiledTemplate head, CompiledTemplate body) {
        long digits = 0;
        for (int at = head.variables; at < head.variables + body.variables; at++) {
            digits += digits(values[at]);
        }
        return digits;
    }

    /// A number from 0 to `count` - 1: the upper half of a product.
    private long random(long count) {
        random += SplitMix64.GOLDEN;
        return Math.unsignedMultiplyHigh(SplitMix64.mix(random), count);
    }

    /// @return where the text ends
    private long write(CompiledTemplate script, long from, long bodyLength, Exchange exchange) {
        long at = from;
        for (int i = 0; i < script.kinds.length; i++) {
            switch (script.kinds[i]) {
                case CompiledTemplate.BYTES -> {
                    Memory.copy(script.firsts[i], at, script.seconds[i]);
                    at += script.seconds[i];
                }
                case CompiledTemplate.COUNTER, CompiledTemplate.RANDOM ->
                        at = writeNumber(values[taken++], at);
                case CompiledTemplate.BODY_LENGTH -> at = writeNumber(bodyLength, at);
                default -> at = exchange.cookies == null ? at : exchange.cookies.write(at);
            }
        }
        return at;
    }

    private static long writeNumber(long number, long from) {
        long end = from + digits(number);
        long rest = number;
        for (long at = end - 1; at >= from; at--) {
            Memory.putByte(at, (byte) ('0' + rest % 10));
            rest /= 10;
        }
        return end;
    }

    private static int digits(long number) {
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    @Override
    public void close() {
        if (memoryBytes > 0) {
            Memory.unmap(memory, memoryBytes);
        }
    }
}
