package wallfinder.services.cxf;

import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/// A customer in a message: 105 bytes of XML for John, whose number is 123. It is a bean because
/// JAXB and Jackson fill beans.
@XmlRootElement(name = "Customer")
@XmlType(propOrder = {"id", "name"})
public class Customer {
    private long id;
    private String name;

    public Customer() {}

    Customer(long id, String name) {
        this.id = id;
        this.name = name;
    }

    public long getId() {
        return id;
    }

    public void setId(long id) {
        this.id = id;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }
}
