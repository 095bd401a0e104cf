use serde_json::{Map, Value, json};
use weir_sim::figures::Figure;
use weir_sim::table::{Cell, Table};

pub fn figure(figure: &Figure) -> Value {
    let tables: Vec<Value> = figure.tables.iter().map(table).collect();
    json!({
        "name": figure.name,
        "title": figure.title,
        "settings": figure.settings,
        "tables": tables,
    })
}

fn table(table: &Table) -> Value {
    let rows: Vec<Vec<Value>> =
        table.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    json!({"name": table.name, "columns": table.columns, "rows": rows})
}

/// Each row as an object.
pub fn rows(table: &Table) -> Vec<Value> {
    let row = |cells: &Vec<Cell>| {
        let pairs = table.columns.iter().cloned().zip(cells.iter().map(cell));
        Value::Object(pairs.collect::<Map<String, Value>>())
    };
    table.rows.iter().map(row).collect()
}

/// What is infinite or does not apply is null.
fn cell(cell: &Cell) -> Value {
    match cell {
        Cell::Number(number) => json!(number),
        Cell::Text(text) => json!(text),
        Cell::Empty => Value::Null,
    }
}
