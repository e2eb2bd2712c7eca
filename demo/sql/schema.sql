-- The tables of the demo database. It is read only, so the large tables have no keys: their indexes would only slow the first start.

CREATE TABLE stores (
  store_id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  city VARCHAR NOT NULL,
  country VARCHAR NOT NULL,
  region VARCHAR NOT NULL,
  opened DATE NOT NULL,
  area_sqm INTEGER NOT NULL
);
COMMENT ON TABLE stores IS 'Shops of the retailer; web and phone orders are shipped from one of them too';
COMMENT ON COLUMN stores.region IS 'Sales region, one of six';
COMMENT ON COLUMN stores.opened IS 'First day of business';
COMMENT ON COLUMN stores.area_sqm IS 'Sales area in square meters';

CREATE TABLE products (
  product_id INTEGER PRIMARY KEY,
  sku VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  category VARCHAR NOT NULL,
  subcategory VARCHAR NOT NULL,
  brand VARCHAR NOT NULL,
  price DECIMAL(12,2) NOT NULL,
  cost DECIMAL(12,2) NOT NULL,
  launched DATE NOT NULL,
  discontinued DATE
);
COMMENT ON TABLE products IS 'Articles with their list price of 2025';
COMMENT ON COLUMN products.sku IS 'Article number, with the category in its first letters';
COMMENT ON COLUMN products.price IS 'List price of 2025 in EUR';
COMMENT ON COLUMN products.cost IS 'Purchase cost of 2025 in EUR';
COMMENT ON COLUMN products.discontinued IS 'Last month of sale; NULL while the product is sold';

CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  email VARCHAR,
  city VARCHAR NOT NULL,
  country VARCHAR NOT NULL,
  segment VARCHAR NOT NULL,
  signup_date DATE NOT NULL,
  loyalty_member BOOLEAN NOT NULL,
  newsletter BOOLEAN
);
COMMENT ON TABLE customers IS 'People and companies'' buyers with an account; all of them are invented';
COMMENT ON COLUMN customers.name IS 'In the script that the customer writes';
COMMENT ON COLUMN customers.email IS 'NULL where the customer gave none';
COMMENT ON COLUMN customers.segment IS 'Consumer, Small business or Corporate';
COMMENT ON COLUMN customers.loyalty_member IS 'Whether the customer holds the loyalty card';
COMMENT ON COLUMN customers.newsletter IS 'Consent to the newsletter; NULL where never asked';

CREATE TABLE orders (
  order_id INTEGER NOT NULL,
  ordered_at TIMESTAMP NOT NULL,
  customer_id INTEGER NOT NULL,
  store_id INTEGER NOT NULL,
  channel VARCHAR NOT NULL,
  status VARCHAR NOT NULL,
  promised_on DATE,
  delivered_on DATE
);
COMMENT ON TABLE orders IS 'Orders from 2022 to the end of 2025, numbered in the order of their time';
COMMENT ON COLUMN orders.ordered_at IS 'Local time of the store';
COMMENT ON COLUMN orders.store_id IS 'The store that sold or ships the order';
COMMENT ON COLUMN orders.channel IS 'Web, Store or Phone';
COMMENT ON COLUMN orders.status IS 'Processing, Shipped, Completed, Partly returned, Returned or Cancelled';
COMMENT ON COLUMN orders.promised_on IS 'Delivery day told to the customer; NULL for what was taken home from a store';
COMMENT ON COLUMN orders.delivered_on IS 'NULL where nothing was delivered, or not yet';

CREATE TABLE order_lines (
  order_id INTEGER NOT NULL,
  line_number TINYINT NOT NULL,
  product_id INTEGER NOT NULL,
  quantity SMALLINT NOT NULL,
  unit_price DECIMAL(12,2) NOT NULL,
  unit_cost DECIMAL(12,2) NOT NULL,
  discount DECIMAL(3,2) NOT NULL,
  net_amount DECIMAL(12,2) NOT NULL,
  returned BOOLEAN NOT NULL,
  rating TINYINT
);
COMMENT ON TABLE order_lines IS 'One product of one order';
COMMENT ON COLUMN order_lines.unit_price IS 'List price on the day of the order, in EUR';
COMMENT ON COLUMN order_lines.unit_cost IS 'Purchase cost on the day of the order, in EUR';
COMMENT ON COLUMN order_lines.discount IS 'Share taken off the list price: 0.15 is 15 %';
COMMENT ON COLUMN order_lines.net_amount IS 'quantity * unit_price less the discount, in EUR';
COMMENT ON COLUMN order_lines.rating IS 'One to five stars for the product; NULL where the customer gave none';

CREATE TABLE daily_stock (
  stock_date DATE NOT NULL,
  store_id INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  on_hand SMALLINT NOT NULL,
  reorder_point SMALLINT NOT NULL,
  on_order SMALLINT NOT NULL
);
COMMENT ON TABLE daily_stock IS 'Stock at the close of each day of the second half of 2025, for the forty products with the most demand';
COMMENT ON COLUMN daily_stock.on_hand IS 'Pieces in the store';
COMMENT ON COLUMN daily_stock.reorder_point IS 'At or below this many pieces the store orders more';
COMMENT ON COLUMN daily_stock.on_order IS 'Pieces on their way to the store';

CREATE VIEW sales AS
SELECT o.order_id, l.line_number, o.ordered_at, o.ordered_at::DATE AS order_date, o.channel, o.customer_id,
       s.store_id, s.name AS store, s.country, s.region,
       p.product_id, p.name AS product, p.category, p.subcategory, p.brand,
       l.quantity, l.net_amount, l.returned, l.rating,
       CASE WHEN l.returned THEN 0 ELSE l.net_amount END::DECIMAL(12,2) AS net_revenue,
       CASE WHEN l.returned THEN 0 ELSE l.net_amount - l.quantity * l.unit_cost END::DECIMAL(12,2) AS margin
FROM order_lines l
JOIN orders o USING (order_id)
JOIN stores s USING (store_id)
JOIN products p USING (product_id)
WHERE o.status <> 'Cancelled';
COMMENT ON VIEW sales IS 'Order lines with store and product; cancelled orders are left out';
COMMENT ON COLUMN sales.net_revenue IS 'Net amount in EUR, 0 for a returned line';
COMMENT ON COLUMN sales.margin IS 'Net revenue less purchase cost in EUR, 0 for a returned line';
