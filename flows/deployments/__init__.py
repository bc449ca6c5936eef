"""What a deployment of a flow is given: its parameters, which are the form in Prefect's page."""
