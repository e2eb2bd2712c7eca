-- Each customer has an interval of a number line, as long as the customer's tendency to buy: a random point on it chooses a customer.
-- Earlier customers come first.
CREATE TEMP TABLE buyers AS
WITH wish AS (
  SELECT *, round(20 + 60 * least(5, wait(1, customer_id, 'wish')) ** 1.2 * CASE WHEN loyalty_member THEN 1.7 ELSE 1 END)::BIGINT AS weight FROM customers
)
SELECT customer_id, signup_date, country, segment, loyalty_member, weight, sum(weight) OVER (ORDER BY customer_id) - weight AS starts FROM wish;

CREATE TEMP TABLE busy_days AS
WITH day AS (
  SELECT day::DATE AS day, date_diff('day', DATE '2022-01-01', day::DATE) AS number
  FROM range(TIMESTAMP '2022-01-01', TIMESTAMP '2026-01-01', INTERVAL 1 DAY) AS days (day)
), known AS (
  SELECT signup_date, max(starts + weight) AS total FROM buyers GROUP BY signup_date
), event AS (
  FROM (VALUES
    (DATE '2022-11-25', 2.3), (DATE '2022-11-26', 1.5), (DATE '2022-11-28', 1.8), (DATE '2023-11-24', 2.4), (DATE '2023-11-25', 1.5), (DATE '2023-11-27', 1.9),
    (DATE '2024-11-29', 2.4), (DATE '2024-11-30', 1.5), (DATE '2024-12-02', 1.9), (DATE '2025-11-28', 2.6), (DATE '2025-11-29', 1.6), (DATE '2025-12-01', 2.0),
    (DATE '2024-03-12', 0.35), (DATE '2024-03-13', 0.6) -- two days without the web shop
  ) AS event (day, factor)
)
SELECT day, number, known.total,
       round(61 * 1.12 ** (number / 365.25)
         * [0.90, 0.84, 0.93, 0.96, 1.0, 0.97, 0.92, 0.90, 0.98, 1.03, 1.24, 1.50][month(day)]
         * [0.95, 0.92, 0.94, 1.0, 1.14, 1.28, 0.78][isodow(day)]
         * CASE WHEN month(day) = 12 AND day(day) IN (25, 26) OR month(day) = 1 AND day(day) = 1 THEN 0.3
                WHEN month(day) = 12 AND day(day) > 22 THEN 0.7 ELSE 1 END
         * coalesce(event.factor, 1) * (0.88 + 0.24 * chance(number, 'busy')))::BIGINT AS orders,
       0.47 + 0.028 * number / 365.25 + CASE WHEN isodow(day) = 7 THEN 0.2 ELSE 0 END - CASE WHEN event.factor < 1 THEN 0.4 ELSE 0 END AS web_share
FROM day ASOF JOIN known ON day.day >= known.signup_date LEFT JOIN event USING (day);

CREATE TEMP TABLE delivery_habits AS
FROM (VALUES ('Central Europe', 3, 1.6), ('Western Europe', 3, 1.9), ('Southern Europe', 4, 2.9), ('Northern Europe', 4, 2.2), ('North America', 5, 3.0), ('Asia & Middle East', 6, 4.0)
) AS habit (region, promised_days, usual_days);

CREATE TEMP TABLE baskets AS
WITH wanted AS (
  SELECT *, number * 1000 + unnest(range(orders)) AS key FROM busy_days
), bought AS (
  SELECT key, day, floor(chance(key, 'customer') * total)::BIGINT AS point,
         CASE WHEN chance(key, 'channel') < web_share THEN 'Web' WHEN chance(key, 'channel') < web_share + 0.07 THEN 'Phone' ELSE 'Store' END AS channel
  FROM wanted
), timed AS (
  SELECT *,
         CASE channel
           WHEN 'Store' THEN 9 + 11 * (chance(key, 'hour') + chance(key, 'minute')) / 2
           WHEN 'Phone' THEN 8 + 10 * chance(key, 'hour')
           ELSE CASE WHEN chance(key, 'evening') < 0.4 THEN 6.5 + 13 * (chance(key, 'hour') + chance(key, 'minute')) / 2 ELSE 15.5 + 8.4 * (chance(key, 'hour') + chance(key, 'minute')) / 2 END
         END AS hour
  FROM bought
), open_stores AS (
  SELECT country, opened, list(store_id) OVER (PARTITION BY country ORDER BY opened) AS store_ids FROM stores
)
SELECT 100000 + row_number() OVER (ORDER BY day, hour, key) AS order_id, day, day + INTERVAL (floor(hour * 3600)::INTEGER) SECOND AS ordered_at,
       customer_id, segment, loyalty_member, channel,
       -- the oldest store of a country draws most
       store_ids[1 + floor(chance(key, 'store') ** 1.5 * len(store_ids))::INTEGER] AS store_id
FROM timed
ASOF JOIN buyers ON timed.point >= buyers.starts
ASOF JOIN open_stores ON buyers.country = open_stores.country AND timed.day >= open_stores.opened;

-- Prices and costs rise with the years. Narrow decimals here and below: wide ones are calculated many times slower.
CREATE TEMP TABLE price_lists AS
SELECT product_id, year, quality, return_rate,
       (floor(price * (1 - 0.03 * (2025 - year))) + price % 1)::DECIMAL(7,2) AS unit_price,
       (cost * (1 - 0.028 * (2025 - year)))::DECIMAL(7,2) AS unit_cost
FROM products JOIN articles USING (product_id, category, price) JOIN category_habits USING (category), range(2022, 2026) AS years (year);

INSERT INTO order_lines
WITH place AS (
  SELECT order_id, date_trunc('month', day)::DATE AS month,
         unnest(range(1 + least(7, floor(wait(1.9, order_id, 'lines')))::BIGINT)) AS place
  FROM baskets
), drawn AS (
  SELECT p.order_id, p.month, floor(chance(p.order_id * 10 + place, 'product') * m.total)::BIGINT AS point
  FROM place p JOIN (SELECT month, max(total) AS total FROM monthly_demand GROUP BY month) m USING (month)
), chosen AS (
  SELECT order_id, product_id, count(*) AS times
  FROM drawn ASOF JOIN monthly_demand ON drawn.month = monthly_demand.month AND drawn.point >= monthly_demand.starts
  GROUP BY order_id, product_id
), priced AS (
  SELECT order_id, product_id, order_id * 1000 + product_id AS key, day, channel, loyalty_member, quality, return_rate,
         (times * (1 + floor(wait(CASE segment WHEN 'Corporate' THEN 2.6 WHEN 'Small business' THEN 1.1 ELSE 0.45 END
           * CASE WHEN unit_price < 30 THEN 1.4 WHEN unit_price > 150 THEN 0.5 ELSE 1 END, order_id * 1000 + product_id, 'quantity'))))::SMALLINT AS quantity,
         unit_price, unit_cost
  FROM chosen JOIN baskets USING (order_id) JOIN price_lists USING (product_id)
  WHERE price_lists.year = year(day)
), discounted AS (
  SELECT *, CASE
      WHEN month(day) = 11 AND day(day) > 21 AND chance(key, 'offer') < 0.6 THEN pick([0.15, 0.20, 0.25, 0.30], key, 'discount')
      WHEN month(day) IN (1, 7) AND chance(key, 'offer') < 0.35 THEN pick([0.10, 0.20, 0.30, 0.40], key, 'discount')
      WHEN chance(key, 'offer') < 0.08 THEN pick([0.10, 0.15, 0.20], key, 'discount')
      WHEN loyalty_member THEN 0.05 ELSE 0 END::DECIMAL(3,2) AS discount
  FROM priced
)
SELECT order_id, row_number() OVER (PARTITION BY order_id ORDER BY product_id), product_id, quantity, unit_price, unit_cost, discount,
       quantity * unit_price * (1.00 - discount),
       day < DATE '2025-12-18' AND chance(key, 'return') < return_rate * CASE channel WHEN 'Web' THEN 1.35 WHEN 'Phone' THEN 1.1 ELSE 0.55 END,
       CASE WHEN day < DATE '2025-12-24' AND chance(key, 'rated') < 0.24
            THEN greatest(1, least(5, round(quality - 6 * return_rate + 1.2 * (chance(key, 'stars') + chance(key, 'mood') - 1) - CASE WHEN chance(key, 'angry') < 0.05 THEN 2.5 ELSE 0 END)))::TINYINT END
FROM discounted
ORDER BY order_id, product_id;

INSERT INTO orders
WITH outcome AS (
  SELECT order_id, bool_and(returned) AS all_back, bool_or(returned) AS some_back FROM order_lines GROUP BY order_id
), sent AS (
  SELECT *, day + promised_days AS promised_on,
         day + (1 + floor(wait(usual_days * CASE WHEN month(day) = 12 THEN 1.35 ELSE 1 END - 1, order_id, 'delivery') * 0.8
           + (usual_days - 1) * 0.5 + chance(order_id, 'handling')))::INTEGER AS arrival,
         NOT (some_back OR channel = 'Store') AND chance(order_id, 'cancelled') < 0.031 AS cancelled
  FROM baskets JOIN outcome USING (order_id) JOIN stores USING (store_id) JOIN delivery_habits USING (region)
)
SELECT order_id, ordered_at, customer_id, store_id, channel,
       CASE WHEN cancelled THEN 'Cancelled' WHEN all_back THEN 'Returned' WHEN some_back THEN 'Partly returned'
            WHEN channel = 'Store' OR arrival <= DATE '2025-12-31' THEN 'Completed'
            WHEN day >= DATE '2025-12-30' THEN 'Processing' ELSE 'Shipped' END,
       CASE WHEN channel <> 'Store' THEN promised_on END,
       CASE WHEN channel <> 'Store' AND NOT cancelled AND arrival <= DATE '2025-12-31' THEN arrival END
FROM sent
ORDER BY order_id;
