package wallfinder.services.cxf;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// Customers in memory. Their number is bounded, because a client may add customers for hours.
@Path("/customerservice/customers")
@Produces({MediaType.APPLICATION_XML, MediaType.APPLICATION_JSON})
public class Customers {
    static final long FIRST = 123;

    private final Map<Long, Customer> kept = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong(FIRST);
    private final long most;

    Customers(long most) {
        this.most = most;
        kept.put(FIRST, new Customer(FIRST, "John"));
    }

    @GET
    @Path("/{id}")
    public Customer customer(@PathParam("id") long id) {
        Customer customer = kept.get(id);
        if (customer == null) {
            throw new NotFoundException();
        }
        return customer;
    }

    /// Adds a customer with the next number, and removes the one that was added `most` customers
    /// earlier.
    @POST
    @Consumes({MediaType.APPLICATION_XML, MediaType.APPLICATION_JSON})
    public Customer add(Customer customer) {
        long id = last.incrementAndGet();
        Customer added = new Customer(id, named(customer).getName());
        kept.put(id, added);
        kept.remove(id - most);
        return added;
    }

    /// Answers 200 if it changed the customer, and 304 if there is no such number, as CXF's sample
    /// does.
    @PUT
    @Consumes({MediaType.APPLICATION_XML, MediaType.APPLICATION_JSON})
    public Response change(Customer customer) {
        Customer changed = kept.computeIfPresent(named(customer).getId(), (id, old) -> customer);
        return answer(changed != null);
    }

    /// Answers 200 if there was such a customer, and 304 otherwise.
    @DELETE
    @Path("/{id}")
    public Response remove(@PathParam("id") long id) {
        return answer(kept.remove(id) != null);
    }

    private static Response answer(boolean found) {
        return (found ? Response.ok() : Response.notModified()).build();
    }

    private static Customer named(Customer customer) {
        if (customer == null || customer.getName() == null) {
            throw new BadRequestException("a customer has a name");
        }
        return customer;
    }
}
