package wallfinder.load;

/// The work of one thread of an engine.
interface EngineThread extends Runnable {
    ThreadState state();
}
