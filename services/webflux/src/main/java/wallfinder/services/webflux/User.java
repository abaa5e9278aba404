package wallfinder.services.webflux;

record User(int id, String name, String email) {}
